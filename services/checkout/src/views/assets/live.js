/* global document, window, EventSource, performance, fetch, navigator */
/* Keeps the open page current: shows the panel that the server renders, and counts down the remaining time. */
const pageData = JSON.parse(document.querySelector('[data-page]').textContent)
const { words } = pageData
;(() => {
  const panel = document.querySelector('[data-panel]')
  const reloadSeconds = Number(document.querySelector('[data-reload-seconds]')?.dataset.reloadSeconds)
  if (reloadSeconds > 0) window.setTimeout(() => window.location.reload(), reloadSeconds * 1000)
  if (!panel) return

  const live = panel.querySelector('[data-live]')
  const announce = panel.querySelector('[data-announce]')
  const offline = panel.querySelector('[data-offline]')
  const { path } = panel.dataset
  const pollEveryMs = 2000
  const failuresUntilPolling = 2
  let over = panel.dataset.over === 'true'
  let endsAtMs = 0
  let returning
  let events
  let failures = 0

  const shownKey = () => live.querySelector('[data-key]')?.dataset.key ?? ''
  /* The server omits the markup of the state that is already shown. */
  const address = (what) => `${path}/${what}?key=${encodeURIComponent(shownKey())}`

  function readTimer() {
    const timer = live.querySelector('[data-left-ms]')
    if (timer) endsAtMs = performance.now() + Number(timer.dataset.leftMs)
  }

  function showTimer() {
    const timer = live.querySelector('[data-left-ms]')
    if (!timer) return
    const seconds = Math.max(Math.ceil((endsAtMs - performance.now()) / 1000), 0)
    timer.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }

  /* Something went down or works again: a form that is filled in stays, and the server decides when it is sent. */
  function keepsForm({ key }) {
    const step = (text) => text.split('|')[0]
    const fields = [...live.querySelectorAll('form[data-form] input:not([type=hidden], [type=search])')]
    return step(shownKey()) === step(key) && fields.some((field) => (field.type === 'radio' ? field.checked : field.value))
  }

  /* If the replaced part had the focus, the new heading gets it. */
  function show(payment) {
    if (payment.over) stopListening()
    if (shownKey() === payment.key || keepsForm(payment)) return
    if (payment.html === undefined) {
      loadState().catch(() => undefined)
      return
    }
    const hadFocus = live.contains(document.activeElement)
    live.innerHTML = payment.html
    document.title = payment.title
    announce.textContent = payment.announcement
    document.dispatchEvent(new window.Event('panel'))
    if (hadFocus) live.querySelector('h1')?.focus()
    readTimer()
    showTimer()
    startReturn()
  }

  /* Returns to the merchant after a countdown, unless the shopper chooses to stay. */
  function startReturn() {
    const box = live.querySelector('[data-return-seconds]')
    if (!box) return
    const text = box.querySelector('[data-return-text]')
    const stay = box.querySelector('[data-stay]')
    let left = Number(box.dataset.returnSeconds)
    const say = () => (text.textContent = words.backIn.replace('{n}', left))
    say()
    text.hidden = stay.hidden = false
    announce.textContent += ` ${text.textContent}`
    returning = window.setInterval(() => {
      left -= 1
      say()
      if (left > 0) return
      window.clearInterval(returning)
      window.location.replace(box.querySelector('[data-return]').href)
    }, 1000)
  }

  function stopReturn() {
    window.clearInterval(returning)
    const stay = live.querySelector('[data-stay]')
    if (!stay || stay.hidden) return
    live.querySelector('[data-return-text]').hidden = stay.hidden = true
    announce.textContent = words.stayed
    live.querySelector('[data-return]').focus()
  }

  async function loadState() {
    const answer = await fetch(address('state'), { cache: 'no-store', credentials: 'same-origin' })
    if (answer.status === 200) show(await answer.json())
  }

  function poll() {
    window.setTimeout(() => {
      if (over) return
      loadState().then(poll, poll)
    }, pollEveryMs)
  }

  /* The browser reconnects a stream by itself, except after an HTTP error. Behind a proxy that breaks streams the page polls. */
  function listen() {
    if (over) return
    if (!window.EventSource) return poll()
    events = new EventSource(address('events'))
    events.addEventListener('payment', ({ data }) => {
      failures = 0
      show(JSON.parse(data))
    })
    events.addEventListener('error', () => {
      failures += 1
      loadState().catch(() => undefined)
      if (failures >= failuresUntilPolling) {
        events.close()
        poll()
      } else if (events.readyState === EventSource.CLOSED) window.setTimeout(listen, pollEveryMs)
    })
  }

  function stopListening() {
    over = true
    events?.close()
  }

  function showOffline() {
    offline.hidden = navigator.onLine
    offline.textContent = words.offline
    if (!navigator.onLine) announce.textContent = words.offline
  }

  document.addEventListener('click', ({ target }) => {
    if (target.closest('[data-stay]')) stopReturn()
  })
  /* After a return from the UPI app: phones suspend connections, and the shopper wants the result now. */
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && !over) loadState().catch(() => undefined)
  })
  window.addEventListener('offline', showOffline)
  window.addEventListener('online', showOffline)
  /* A shopper who came back from the merchant's page wants to stay. */
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) stopReturn()
  })

  readTimer()
  window.setInterval(showTimer, 1000)
  if (!['back_forward', 'reload'].includes(performance.getEntriesByType('navigation')[0]?.type)) startReturn()
  listen()
})()
