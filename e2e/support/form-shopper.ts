/** A shopper who types a card number, and every way to send it in the wrong place. */
import { randomBytes } from 'node:crypto'

/** What a browser needs to send the forms of an order's page. */
export type Page = Awaited<ReturnType<typeof openPage>>

/** Opens the hosted page as a browser does. */
export async function openPage(url: string) {
  const answer = await fetch(url)
  const markup = await answer.text()
  const field = (name: string): string => new RegExp(`name="${name}"[^>]*value="([^"]+)"`, 'u').exec(markup)?.[1] ?? ''
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { url, cookie, csrf: field('csrf'), attemptId: field('attempt_id') }
}

export type Fields = Readonly<Record<string, string>>

export function cardFields(page: Page, number: string): Fields {
  return {
    csrf: page.csrf,
    attempt_id: page.attemptId,
    method: 'card',
    card_number: number,
    card_expiry: '12/34',
    card_cvv: '123',
    card_name: 'Asha Rao',
  }
}

/** Sends the page's form. Resolves to the status and the `location` of the answer. */
export async function sendForm(page: Page, fields: Fields, path = '/pay'): Promise<{ status: number; location: string }> {
  const answer = await fetch(`${page.url}${path}`, {
    method: 'POST',
    headers: { cookie: page.cookie },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
  await answer.text()
  return { status: answer.status, location: answer.headers.get('location') ?? '' }
}

/** Requests with a card number in a place where it does not belong. */
export function misplaced(page: Page, number: string): (() => Promise<unknown>)[] {
  const fields = cardFields(page, number)
  const spaced = number.replaceAll(/(\d{4})(?=\d)/gu, '$1 ')
  const post = (contentType: string, body: string) => () =>
    fetch(`${page.url}/pay`, { method: 'POST', headers: { cookie: page.cookie, 'content-type': contentType }, body })
  const inField =
    (name: string, value = number) =>
    () =>
      sendForm(page, { ...fields, [name]: value })
  const boundary = randomBytes(8).toString('base64url')
  return [
    ...['card_name', 'card_expiry', 'card_cvv', 'bank', 'method', 'attempt_id', 'csrf', 'nobody_knows_this'].map((name) =>
      inField(name),
    ),
    inField('card_name', spaced),
    inField('card_number', `${spaced}x`),
    inField('card_number', number.repeat(300)),
    () => sendForm(page, { ...fields, method: 'netbanking', bank: number }),
    () => sendForm(page, fields, `/pay?card_number=${number}`),
    () => sendForm(page, fields, `/${number}`),
    () => fetch(`${page.url}?lang=${number}&card_number=${encodeURIComponent(spaced)}`),
    () => fetch(new URL(`/checkout/${number}`, page.url)),
    () => fetch(new URL(`/${number}?q=${number}`, page.url)),
    () =>
      fetch(page.url, {
        headers: {
          'x-request-id': number,
          referer: `https://shop.example/${number}`,
          'user-agent': number,
          cookie: `a=${number}`,
        },
      }),
    post('application/json', JSON.stringify(fields)),
    post('application/json', `{"card_number": "${number}`),
    post('text/plain', number),
    post(
      `multipart/form-data; boundary=${boundary}`,
      `--${boundary}\r\ncontent-disposition: form-data; name="card_number"\r\n\r\n${number}`,
    ),
    post('application/x-www-form-urlencoded', `card_number=${number}&card_number=%E0%A4%A&${number}`),
  ]
}
