import QRCode from 'qrcode'
import { html, type Html } from '@gateway/service-kit'

/** Blank modules around the code; ISO/IEC 18004 asks for four. */
const QUIET_ZONE = 4

/** A QR code as an image of its own, one path, dark on white whatever the page looks like. */
export function qrCode(text: string, label: string): Html {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' })
  const side = modules.size + 2 * QUIET_ZONE
  const rows = Array.from({ length: modules.size }, (_row, y) =>
    Array.from({ length: modules.size }, (_column, x) =>
      modules.get(y, x) ? `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z` : '',
    ),
  )
  return html`<svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label="${label}" shape-rendering="crispEdges">
    <path fill="#fff" d="M0 0h${side}v${side}H0z" />
    <path fill="#000" d="${rows.flat().join('')}" />
  </svg>`
}
