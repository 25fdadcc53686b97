/** A JSON Schema of an object that has at least these fields. */
export function requiredFields<const P extends Readonly<Record<string, object>>>(properties: P) {
  const required = Object.keys(properties) as (keyof P & string)[]
  return { type: 'object', required, properties } as const
}
