/** The variables to read, usually `process.env`. An empty value counts as unset. */
export type Variables = Readonly<Record<string, string | undefined>>
