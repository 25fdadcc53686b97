import { html, Html } from './html.ts'

const NASTY = `<script>alert("1")</script> & 'x'`

test('whatever is put into a template is escaped, in text and in attributes', () => {
  expect(html`<p title="${NASTY}">${NASTY}</p>`.markup).toBe(
    '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;">' +
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;</p>',
  )
})

test('markup of our own stays, nothing is nothing, and a list is its parts', () => {
  const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`)
  expect(
    html`<ul>
        ${items}
      </ul>
      ${undefined}${7}${new Html('<br>')}`.markup,
  ).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>7<br>')
})

test('a template without values is itself', () => {
  expect(html`<hr />`.markup).toBe('<hr>')
})
