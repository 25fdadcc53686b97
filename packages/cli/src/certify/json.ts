/** The value of a JSON text; `undefined` when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The fields of a JSON object; none when the text is not one. */
export function fieldsOf(text: string): Partial<Record<string, unknown>> {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
