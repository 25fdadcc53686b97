/** `stack.json`: how a program outside the stack reaches it. */
import { readFileSync } from 'node:fs'
import { compile } from '@gateway/contracts'
import type { KeyAndCertificate } from '@gateway/testkit/certificates'

/** The fields of `stack.json` that the tests use. */
export interface StackDescription {
  readonly base_url: string
  readonly network_url: string
  /** The local certificate authority. The local dispatcher trusts it, so it can sign a receiver's certificate. */
  readonly ca_file: string
  readonly ca_key_file: string
  readonly mongo_url: string
  readonly amqp_url: string
  readonly operator: OperatorApi
  readonly webhook_operator: OperatorApi
  readonly ledger_operator: OperatorApi
  readonly merchant: { readonly webhook_url: string }
  readonly services: Readonly<Record<string, { readonly pid: number; readonly url: string }>>
}

export interface OperatorApi {
  readonly url: string
  readonly token: string
}

const text = { type: 'string', minLength: 1 } as const
const operatorApi = { type: 'object', required: ['url', 'token'], properties: { url: text, token: text } } as const
const service = { type: 'object', required: ['pid', 'url'], properties: { pid: { type: 'integer' }, url: text } } as const

const stackDescription = compile({
  type: 'object',
  required: [
    'base_url',
    'network_url',
    'ca_file',
    'ca_key_file',
    'mongo_url',
    'amqp_url',
    'operator',
    'webhook_operator',
    'ledger_operator',
    'merchant',
    'services',
  ],
  properties: {
    base_url: text,
    network_url: text,
    ca_file: text,
    ca_key_file: text,
    mongo_url: text,
    amqp_url: text,
    operator: operatorApi,
    webhook_operator: operatorApi,
    ledger_operator: operatorApi,
    merchant: { type: 'object', required: ['webhook_url'], properties: { webhook_url: text } },
    services: { type: 'object', additionalProperties: service },
  },
})

/** Throws when the file is missing or is not a stack description. */
export function readStackDescription(file: string): StackDescription {
  return stackDescription.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** The local certificate authority with its key. */
export function readAuthority({ ca_file, ca_key_file }: StackDescription): KeyAndCertificate {
  return { cert: readFileSync(ca_file, 'utf8'), key: readFileSync(ca_key_file, 'utf8') }
}
