import { compile, requiredFields } from '@gateway/contracts'

/** An error that the operator can correct; only its message is shown. */
export class UserError extends Error {
  override readonly name = 'UserError'
}

type Query = Readonly<Record<string, string | undefined>>

/**
 * Client of the operator API of a dispatcher of the same version, whose views give the types of its answers. Rejects with a
 * `UserError` that contains its answer.
 */
export interface OperatorApi {
  /** Gives up when this process is asked to stop. */
  get<T>(path: string, query: Query): Promise<T>
  post<T>(path: string, body: object): Promise<T>
}

/** Longer than a step of a replay or an audit takes. */
const TIMEOUT_MS = 60_000

const problem = compile(requiredFields({ title: { type: 'string' }, detail: { type: 'string' } }))
const success = compile(requiredFields({ data: { type: 'object' } }))

/** The API that `WEBHOOK_OPERATOR_URL` and `OPERATOR_TOKEN` name. */
export function operatorApi(env: NodeJS.ProcessEnv, stopping: AbortSignal): OperatorApi {
  const { url, token } = readAccess(env)

  async function call<T>(path: string, request: RequestInit): Promise<T> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { headers, ...request, signal }).catch((error: unknown) => {
      request.signal?.throwIfAborted()
      throw new UserError(`${url} does not answer: ${error instanceof Error ? error.message : String(error)}`)
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (!response.ok)
      throw new UserError(problem(answer) ? `${answer.title}: ${answer.detail}` : `${url}: status ${response.status}`)
    if (!success(answer)) throw new UserError(`${url + path} gave an answer that this version does not understand`)
    return answer as T
  }
  return {
    get(path, query) {
      const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
      const text = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
      return call(path + text, { signal: stopping })
    },
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
  }
}

function readAccess({ WEBHOOK_OPERATOR_URL: url, OPERATOR_TOKEN: token }: NodeJS.ProcessEnv): { url: string; token: string } {
  if (url && token) return { url: url.replace(/\/+$/u, ''), token }
  if (url) throw new UserError('WEBHOOK_OPERATOR_URL is set without OPERATOR_TOKEN: set both')
  throw new UserError('no gateway is running: npm start first, or set WEBHOOK_OPERATOR_URL and OPERATOR_TOKEN')
}

/** Resolves to the exit code. */
export type Command = (args: readonly string[], session: Session) => Promise<number>

export interface Session {
  readonly api: () => OperatorApi
  /** Aborted when the operator asks this program to stop. */
  readonly stopping: AbortSignal
  /** Writes a line to standard output. */
  readonly say: (line: string) => void
}
