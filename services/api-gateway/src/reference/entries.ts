import type { JsonSchema } from '@gateway/contracts'
import type { DescribedOperation } from '../openapi/describe-operation.ts'
import type { ApiDocument } from '../openapi/document.ts'

/** One operation with its address. */
export interface Entry extends DescribedOperation {
  readonly method: string
  readonly path: string
}

/** All operations, in the order of the document. */
export function entriesOf({ paths }: Pick<ApiDocument, 'paths'>): Entry[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}

export function exampleOf({ requestBody }: Entry): JsonSchema | undefined {
  return requestBody?.content['application/json'].example
}
