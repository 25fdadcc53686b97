import { openApiDocument } from '../openapi/document.ts'
import type { OperationId } from '../openapi/operation-notes.ts'

/** The parts of the OpenAPI document that the reference page and the collection show. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly webhooks: { readonly transactionStatus: { readonly post: DocumentedWebhook } }
  readonly components: {
    readonly schemas: { readonly Problem: { readonly properties: { readonly code: { readonly enum: readonly string[] } } } }
  }
}

export interface DocumentedOperation {
  readonly operationId: OperationId
  readonly summary: string
  readonly description: string
  readonly tags: readonly [string]
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example?: Example } }
  }
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: { readonly 'application/json'?: { readonly schema: Schema } } }
    >
  >
  readonly 'x-repeatable': boolean
}

interface DocumentedWebhook {
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
}

export interface Parameter {
  readonly in: 'header' | 'path' | 'query'
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
}

export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: string | number | boolean
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

export type Example = Readonly<Record<string, unknown>>

/** One operation with its address. */
export interface Entry extends DocumentedOperation {
  readonly method: string
  readonly path: string
}

/** The document as it is served. */
export function readDocument(options: { readonly sandbox: boolean }): ApiDocument {
  return JSON.parse(JSON.stringify(openApiDocument(options))) as ApiDocument
}

/** All operations, in the order of the document. */
export function entriesOf({ paths }: Pick<ApiDocument, 'paths'>): Entry[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}

/** The schema of what a call answers when it succeeds; `undefined` without a JSON body. */
export function answerOf({ responses }: Pick<DocumentedOperation, 'responses'>): Schema | undefined {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  return answer?.content?.['application/json']?.schema
}

export function exampleOf({ requestBody }: Pick<DocumentedOperation, 'requestBody'>): Example | undefined {
  return requestBody?.content['application/json'].example
}
