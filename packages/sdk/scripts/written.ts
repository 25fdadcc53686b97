import { OPERATIONS } from '@gateway-services/api-gateway/operations/operations'
import { writtenTypes } from './write-types.ts'

/** The text of `src/generated/operations.ts`: the calls of a merchant's program, without those that manage credentials. */
function writtenOperations(): string {
  const operations = Object.entries(OPERATIONS)
    .filter(([, { caller, to, stream }]) => caller === 'merchant' && to !== 'authToken' && stream !== true)
    .map(([id, { method, path, repeatable, extraTimeoutMs }]) => {
      const fields = [`method: '${method}'`, `path: '${path}'`, `repeatable: ${repeatable}`]
      if (extraTimeoutMs !== undefined) fields.push(`extraTimeoutMs: ${extraTimeoutMs}`)
      return `  ${id}: { ${fields.join(', ')} },\n`
    })
  return `/** Written by \`npm run sdk:types\` from the gateway's operations. Do not edit. */
import type { Operation } from '../http/transport.ts'

export const OPERATIONS = {
${operations.join('')}} as const satisfies Readonly<Record<string, Operation>>
`
}

/** The generated files by name, with what writes their text. */
export const WRITTEN: Readonly<Record<string, () => string>> = { 'operations.ts': writtenOperations, 'types.ts': writtenTypes }
