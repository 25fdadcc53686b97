/** `stack.json`: all that a program outside of the stack is told about it. */
import { readFileSync } from 'node:fs'
import { compile } from '@gateway/contracts'
import type { KeyAndCertificate } from '@gateway/testkit/certificates'

/** The part of `stack.json` that is read here. */
export interface StackDescription {
  readonly base_url: string
  readonly network_url: string
  /** The local authority, which the local dispatcher trusts: it may sign a receiver's certificate. */
  readonly ca_file: string
  readonly ca_key_file: string
  readonly mongo_url: string
  readonly amqp_url: string
  readonly operator: OperatorApi
  readonly webhook_operator: OperatorApi
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
    merchant: { type: 'object', required: ['webhook_url'], properties: { webhook_url: text } },
    services: { type: 'object', additionalProperties: service },
  },
})

/** Throws when the file is missing or describes no stack. */
export function readStackDescription(file: string): StackDescription {
  return stackDescription.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** The local authority with its key. */
export function readAuthority({ ca_file, ca_key_file }: StackDescription): KeyAndCertificate {
  return { cert: readFileSync(ca_file, 'utf8'), key: readFileSync(ca_key_file, 'utf8') }
}
