import { compile, type Checker } from '@gateway/contracts'
import type { Context } from '@gateway-infra/system/context'
import { readStack } from '../stack-file.ts'
import { UserError } from '@gateway-infra/system/user-error'

/** Client of the dispatcher's operator API. Rejects with a `UserError` that contains its answer. */
export interface OperatorApi {
  get<T>(path: string, query: Readonly<Record<string, string | undefined>>, shape: Checker<T>): Promise<T>
  post<T>(path: string, body: object, shape: Checker<T>): Promise<T>
}

/** Longer than a step of a replay or an audit takes. */
const TIMEOUT_MS = 60_000

const problem = compile({
  type: 'object',
  required: ['title', 'detail'],
  properties: { title: { type: 'string' }, detail: { type: 'string' } },
})

/** The API of the deployment that the environment names, else of the local stack. */
export function operatorApi({ env, paths }: Pick<Context, 'env' | 'paths'>): OperatorApi {
  const { url, token } = whereabouts({ env, paths })

  async function call<T>(method: 'GET' | 'POST', path: string, shape: Checker<T>, body?: object): Promise<T> {
    const response = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new UserError(`${url} does not answer: ${error instanceof Error ? error.message : String(error)}`)
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (!response.ok)
      throw new UserError(problem(answer) ? `${answer.title}: ${answer.detail}` : `${url}: status ${response.status}`)
    if (!shape(answer)) throw new UserError(`${url + path} gave an answer that this version does not understand`)
    return answer
  }
  return {
    get: (path, query, shape) => call('GET', path + queryText(query), shape),
    post: (path, body, shape) => call('POST', path, shape, body),
  }
}

function whereabouts({ env, paths }: Pick<Context, 'env' | 'paths'>): { url: string; token: string } {
  const { WEBHOOK_OPERATOR_URL: url, OPERATOR_TOKEN: token } = env
  if (url && token) return { url: url.replace(/\/+$/u, ''), token }
  if (url) throw new UserError('WEBHOOK_OPERATOR_URL is set without OPERATOR_TOKEN: set both')
  const stack = readStack(paths.stateDir)
  if (!stack) throw new UserError('no gateway is running: npm start first, or set WEBHOOK_OPERATOR_URL and OPERATOR_TOKEN')
  return stack.webhook_operator
}

function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
