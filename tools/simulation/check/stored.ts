/** A document of the database model, as the type that its service stores. */
export function storedAs<T extends object>(document: object): T {
  return document as T
}
