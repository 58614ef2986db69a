/** True where the types are the very same: `any`, `never` and a looser type are not. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** The properties of an intersection, written out as one type. */
export type Flat<T> = { [Name in keyof T]: T[Name] }
