/** Parts of the connector's OpenAPI document that several operations share. */

export const json = (name: string): object => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } })
export const answer = (description: string, name: string): object => ({ description, content: json(name) })
export const problem = (description: string): object => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})
export const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})
export const refusals = {
  401: problem('The bearer token is not the API key'),
  422: problem('Fields are missing or not valid; every one is listed'),
  503: problem('Try again'),
}
