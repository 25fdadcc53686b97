/** A shopper on the hosted page, without a browser. */

/** Sends the page's cancel form. Resolves to the status of the answer. */
export async function cancelOnPage(checkoutUrl: string): Promise<number> {
  const page = await fetch(checkoutUrl)
  const markup = await page.text()
  const [, csrf] = /name="csrf"[^>]*value="([^"]+)"/u.exec(markup) ?? []
  const [session = ''] = (page.headers.getSetCookie()[0] ?? '').split(';')
  if (page.status !== 200 || csrf === undefined) throw new Error(`the page offers no cancel form: ${page.status} ${markup}`)
  const { status } = await fetch(`${checkoutUrl}/cancel`, {
    method: 'POST',
    headers: { cookie: session },
    body: new URLSearchParams({ csrf }),
    redirect: 'manual',
  })
  return status
}
