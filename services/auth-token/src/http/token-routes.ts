import { Router } from 'express'
import { authTokenRequest } from '@gateway/contracts'
import type { IssueToken } from '../use-cases/issue-token.ts'

/** `POST /api/v1/auth/token`, for merchants without a JOSE library (design, section 5). */
export function tokenRoutes(issueToken: IssueToken): Router {
  return Router().post('/api/v1/auth/token', async (request, response) => {
    const issued = await issueToken(authTokenRequest.parse(request.body))
    response.setHeader('cache-control', 'no-store')
    response.json(issued)
  })
}
