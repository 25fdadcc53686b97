/** The value of a JSON text; `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The fields of a JSON object; an empty object when the text is not a JSON object. */
export function fieldsOf(text: string): Partial<Record<string, unknown>> {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
