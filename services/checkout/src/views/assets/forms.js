/* global document, window, words */
/* Shows mistakes before a form is sent, and sends each form once. The server's check is the one that counts. */
const checks = {}
;(() => {
  const methodOf = (form) => form.dataset.form
  const textOf = (field, code) => words.errors[field][code] || words.errors.fallback

  function mark(form, field, code) {
    const message = form.querySelector(`#${field}-error`)
    if (message) message.textContent = code ? textOf(field, code) : ''
    const input = form.elements[field]
    if (!input || !input.setAttribute) return
    if (code) input.setAttribute('aria-invalid', 'true')
    else input.removeAttribute('aria-invalid')
  }

  function showErrors(form, errors) {
    const box = form.querySelector('[data-errors]')
    const list = box.querySelector('ul')
    list.textContent = ''
    for (const [field, code] of errors) {
      const link = document.createElement('a')
      link.href = `#${field}`
      link.textContent = textOf(field, code)
      list.appendChild(document.createElement('li')).appendChild(link)
    }
    box.hidden = errors.length === 0
    if (errors.length > 0) box.focus()
  }

  function release() {
    for (const button of document.querySelectorAll('button[data-sent]')) {
      button.disabled = false
      button.textContent = button.dataset.sent
      delete button.dataset.sent
    }
  }

  document.addEventListener('submit', (event) => {
    const form = event.target
    const found = Object.entries(checks[methodOf(form)]?.(form) ?? {})
    const errors = found.filter(([, code]) => code)
    for (const [field, code] of found) mark(form, field, code)
    if (found.length > 0) showErrors(form, errors)
    const button = form.querySelector('button:not([type])')
    if (errors.length > 0 || button.dataset.sent) {
      event.preventDefault()
      return
    }
    button.dataset.sent = button.textContent
    button.textContent = words.wait
    button.disabled = true
  })

  /* Shows an error when a filled-in field is left, and removes it as soon as the value is valid. */
  document.addEventListener('focusout', ({ target }) => {
    const check = checks[methodOf(target.form ?? document.body)]
    if (!check || !target.value || target.type === 'radio') return
    if (target.name in check(target.form)) mark(target.form, target.name, check(target.form)[target.name])
  })
  document.addEventListener('input', ({ target }) => {
    const check = checks[methodOf(target.form ?? document.body)]
    const message = target.name && target.form?.querySelector(`#${target.name}-error`)
    if (check && message?.textContent && !check(target.form)[target.name]) mark(target.form, target.name)
  })
  /* An error's link focuses its field; the banks' link focuses the first visible bank. */
  document.addEventListener('click', (event) => {
    const link = event.target.closest('[data-errors] a')
    if (!link) return
    event.preventDefault()
    const field = document.querySelector(link.hash)
    ;(field.matches('input') ? field : field.querySelector('label:not([hidden]) input')).focus()
  })
  /* Keeps one method open at a time, also in browsers that ignore the name of <details>. */
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (!target.matches('.method[open]')) return
      for (const other of document.querySelectorAll('.method[open]')) if (other !== target) other.open = false
      if (target.getBoundingClientRect().top < 0) target.scrollIntoView()
    },
    true,
  )
  /* After a return from the bank, or from the browser's cache, the form can be sent again. */
  window.addEventListener('pageshow', release)
})()
