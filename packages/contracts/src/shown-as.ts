/** What is shown or published of an object, as the object itself has it: its times are dates. */
export type Dated<Shown> = {
  readonly [Name in keyof Shown]: Name extends `${string}_at` ? Date | Extract<Shown[Name], null> : Shown[Name]
}

/**
 * Makes the function that shows an object as its schema says: with the schema's fields and no others, so that nothing else of the
 * object gets out, and with its times as ISO 8601 texts. `Shown` is the schema's type; to infer it takes the compiler too long.
 */
export function shownAs<Shown>(schema: { readonly properties: object }): (source: Dated<Shown>) => Shown
export function shownAs({ properties }: { readonly properties: object }) {
  const names = Object.keys(properties)
  return (source: Readonly<Record<string, unknown>>): object => {
    const shown: Record<string, unknown> = {}
    for (const name of names) {
      const value = source[name]
      shown[name] = value instanceof Date ? value.toISOString() : value
    }
    return shown
  }
}
