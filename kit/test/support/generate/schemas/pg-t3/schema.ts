export * from "./schema/auth-schema";
export * from "./schema/posts";
