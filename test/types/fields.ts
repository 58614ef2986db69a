// The tables that the adapter takes have a column for each field of the model that they store, optional where the field is.
import type {
  AccountsTable,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  AuthenticatorsTable,
  SessionsTable,
  UsersTable,
  VerificationToken,
  VerificationTokensTable,
} from 'drizzle-auth-adapter'
import type { Table } from 'drizzle-orm'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_T extends true>() => {}

/** What the columns of a table hold, without the columns' own types around it. */
type DataOf<T> = { [Name in Exclude<keyof T, keyof Table>]: Data<NonNullable<T[Name]>> }
type Data<Column> = Column extends { _: { data: infer Held } } ? Held : never
type OptionalOf<T> = { [Name in keyof T]-?: undefined extends T[Name] ? Name : never }[keyof T]

/** What the columns of a model must hold: any text where the model is stricter, and an id of any type. */
type DataFor<Model> = { [Name in keyof Model]-?: Name extends 'id' | 'userId' ? string | number | bigint : Plain<NonNullable<Model[Name]>> }
type Plain<Value> = Value extends string ? string : Value

type Fits<T, Model> = Equal<[DataOf<Required<T>>, OptionalOf<Omit<T, keyof Table>>], [DataFor<Model>, OptionalOf<Model>]>
holds<Fits<UsersTable, AdapterUser>>()
holds<Fits<AccountsTable, AdapterAccount>>()
holds<Fits<SessionsTable, AdapterSession>>()
holds<Fits<VerificationTokensTable, VerificationToken>>()
holds<Fits<AuthenticatorsTable, AdapterAuthenticator>>()
