import QRCode from 'qrcode'
import { html, type Html } from '@gateway/service-kit/http'

/** Blank modules around the code; ISO/IEC 18004 requires four. */
const QUIET_ZONE = 4

/** A QR code as an inline SVG with a single path, black on white in light and dark mode. */
export function qrCode(text: string, label: string): Html {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' })
  const side = modules.size + 2 * QUIET_ZONE
  const rows = Array.from({ length: modules.size }, (_row, y) =>
    runs(Array.from({ length: modules.size }, (_column, x) => Boolean(modules.get(y, x))))
      .map(({ from, length }) => `M${from + QUIET_ZONE} ${y + QUIET_ZONE}h${length}v1h-${length}z`)
      .join(''),
  )
  return html`<svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label="${label}" shape-rendering="crispEdges">
    <path fill="#fff" d="M0 0h${side}v${side}H0z" />
    <path fill="#000" d="${rows.join('')}" />
  </svg>`
}

/** Joins adjacent dark modules, which halves the size. */
function runs(dark: readonly boolean[]): { from: number; length: number }[] {
  const starts = dark.flatMap((isDark, x) => (isDark && dark[x - 1] !== true ? [x] : []))
  return starts.map((from) => {
    const end = dark.indexOf(false, from)
    return { from, length: (end === -1 ? dark.length : end) - from }
  })
}
