/* global document, window, words */
/* Says what is wrong before it is sent; the server decides. One form, one submission. */
const checks = {}
;(() => {
  const keyOf = (form) => form.dataset.form
  const textOf = (field, code) => words.errors[field][code] || words.errors.fallback

  function mark(form, field, code) {
    const place = form.querySelector(`#${field}-error`)
    if (place) place.textContent = code ? textOf(field, code) : ''
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
    const found = Object.entries(checks[keyOf(form)]?.(form) ?? {})
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

  /* A field that was left filled in and wrong says so; one that was mended stops saying it. */
  document.addEventListener('focusout', ({ target }) => {
    const check = checks[keyOf(target.form ?? document.body)]
    if (!check || !target.value || target.type === 'radio') return
    if (target.name in check(target.form)) mark(target.form, target.name, check(target.form)[target.name])
  })
  document.addEventListener('input', ({ target }) => {
    const check = checks[keyOf(target.form ?? document.body)]
    const place = target.name && target.form?.querySelector(`#${target.name}-error`)
    if (check && place?.textContent && !check(target.form)[target.name]) mark(target.form, target.name)
  })
  /* The link of an error goes to the field itself; that of the banks to the first one. */
  document.addEventListener('click', (event) => {
    const link = event.target.closest('[data-errors] a')
    if (!link) return
    event.preventDefault()
    const field = document.querySelector(link.hash)
    ;(field.matches('input') ? field : field.querySelector('label:not([hidden]) input')).focus()
  })
  /* One method at a time, also where the browser does not know that details of one name belong together. */
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (!target.matches('.method[open]')) return
      for (const other of document.querySelectorAll('.method[open]')) if (other !== target) other.open = false
      if (target.getBoundingClientRect().top < 0) target.scrollIntoView()
    },
    true,
  )
  /* Back from the bank, or from the browser's cache: the form can be sent again. */
  window.addEventListener('pageshow', release)
})()
