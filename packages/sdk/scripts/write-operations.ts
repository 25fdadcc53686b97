import { OPERATIONS } from '@gateway-services/api-gateway/operations/operations'

/** The text of `src/generated/operations.ts`: the calls of a merchant's program, without those that manage credentials. */
export function writtenOperations(): string {
  const operations = Object.entries(OPERATIONS)
    .filter(([, { caller, to, stream }]) => caller === 'merchant' && to !== 'authToken' && stream !== true)
    .map(([id, { method, path, repeatable, extraTimeoutMs }]) => {
      const fields = [`method: '${method}'`, `path: '${path}'`, `repeatable: ${repeatable}`]
      if (extraTimeoutMs !== undefined) fields.push(`extraTimeoutMs: ${extraTimeoutMs}`)
      return `  ${id}: { ${fields.join(', ')} },\n`
    })
  return `/** Written by \`npm run sdk:types\` from the gateway's operations. Do not edit. */
import type { Operation } from '../http/operation.ts'

export const OPERATIONS = {
${operations.join('')}} as const satisfies Readonly<Record<string, Operation>>
`
}
