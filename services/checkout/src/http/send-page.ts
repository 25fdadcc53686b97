import { gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'
import type { Html } from '@gateway/service-kit/http'

/**
 * A page, compressed where the browser takes that: a quarter of the bytes. Nothing of another site's choosing stands in a page
 * beside its form token, so its length tells nothing of the token.
 */
export function sendPage(request: Request<{ token: string }>, response: Response, { markup }: Html): void {
  response.type('html').vary('accept-encoding')
  if (request.acceptsEncodings(['gzip', 'identity']) !== 'gzip') {
    response.send(markup)
    return
  }
  response.set('content-encoding', 'gzip').send(gzipSync(markup))
}
