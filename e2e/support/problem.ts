/** An error as the API answers it (RFC 9457, with our `code`). */
export interface ProblemDetails {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly request_id: string
}
