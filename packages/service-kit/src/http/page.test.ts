import { html, Html } from './page.ts'

const NASTY = `<script>alert("1")</script> & 'x'`
const ESCAPED = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;'

test('every value in a template is escaped, in text and in attributes', () => {
  expect(html`<p title="${NASTY}">${NASTY}</p>`.markup).toBe(`<p title="${ESCAPED}">${ESCAPED}</p>`)
})

test.each([
  ['markup of our own', new Html('<b>x</b>'), '<b>x</b>'],
  ['nothing', undefined, ''],
  ['a number', 7, '7'],
  ['a list', [new Html('<b>'), NASTY, [undefined, 1]], `<b>${ESCAPED}1`],
])('%s is put in as what it is', (_name, value, expected) => {
  expect(html`<p>${value}</p>`.markup).toBe(`<p>${expected}</p>`)
})

test('a template without values is itself', () => {
  expect(html`<p>Text</p>`.markup).toBe('<p>Text</p>')
})
