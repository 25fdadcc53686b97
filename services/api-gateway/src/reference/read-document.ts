import { openApiDocument } from '../openapi/document.ts'
import type { OperationId } from '../operations/operations.ts'

/** The parts of the OpenAPI document that the reference page and the collection show. */
export interface ApiDocument {
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly contact: { readonly name: string }
    readonly license: { readonly name: string }
  }
  readonly tags: readonly Tag[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: DocumentedWebhook }>>
  readonly components: {
    readonly schemas: { readonly Problem: Schema }
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  }
}

export interface Tag {
  readonly name: string
  readonly description: string
}

export interface SecurityScheme {
  readonly type: string
  readonly scheme: string
  readonly bearerFormat: string
  readonly description: string
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
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
  readonly 'x-repeatable': boolean
}

export interface DocumentedWebhook {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

export interface Parameter {
  readonly in: 'header' | 'path' | 'query'
  readonly name: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

type Value = string | number | boolean

export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly (Value | null)[]
  readonly const?: Value
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly default?: Value
  readonly examples?: readonly Value[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
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
