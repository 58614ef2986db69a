/** True only if the types are identical. `any`, `never` and a wider type are not equal to another type. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** The properties of an intersection, written out as one type. */
export type Flat<T> = { [Name in keyof T]: T[Name] }
