import { QRCodeSVG } from 'qrcode.react'
import { useRef } from 'react'
import { attempt } from '../app/bridge.ts'
import { saveBytes } from '../app/save-bytes.ts'
import { Button } from '../ui/button.tsx'
import { Hint, Row } from '../ui/layout.tsx'
import { showToast } from '../ui/toast.tsx'
import styles from './qr-code.module.css'

/** The capacity of the largest code at this level of error correction, in bytes. */
const maxBytes = 2331

/**
 * Shows a link as a QR code, with buttons to save it as a picture. The code is dark on light in
 * both themes, because many readers cannot read the opposite.
 */
export function QrCode({
  text,
  title,
  name,
  size = 196,
}: {
  text: string
  /** The name for screen readers, such as "Payment link of invoice 60ffb0a1". */
  title: string
  /** The name of the files without extension, such as "invoice-60ffb0a1". */
  name: string
  /** The size in pixels. */
  size?: number
}) {
  const picture = useRef<SVGSVGElement>(null)
  if (new TextEncoder().encode(text).length > maxBytes) {
    return <Hint>The link is too long for a QR code. Copy the link instead.</Hint>
  }
  const save = async (ending: 'png' | 'svg') => {
    const drawn = picture.current
    if (drawn === null) return
    await attempt('Could not save the QR code', async () => {
      const bytes = ending === 'svg' ? formatSvg(drawn, title) : await drawPng(drawn)
      saveBytes([bytes], `${name}.${ending}`)
      showToast({ title: `${name}.${ending} saved` })
    })
  }
  return (
    <figure className={styles['figure']}>
      <QRCodeSVG
        ref={picture}
        className={styles['code']}
        value={text}
        size={size}
        level="M"
        marginSize={quietModules}
        bgColor="#ffffff"
        fgColor="#000000"
        title={title}
      />
      <Row as="figcaption" gap="s">
        <Button icon="download" aria-label="Save QR code as PNG" onClick={() => void save('png')}>
          PNG
        </Button>
        <Button icon="download" aria-label="Save QR code as SVG" onClick={() => void save('svg')}>
          SVG
        </Button>
      </Row>
    </figure>
  )
}
/** The free space on each side that ISO/IEC 18004 requires. */
const quietModules = 4

/** The width and height of a PNG in pixels. */
const pngSide = 1024

function formatSvg(drawn: SVGSVGElement, title: string): Uint8Array<ArrayBuffer> {
  const side = drawn.viewBox.baseVal.width
  const squares = pathsOf(drawn).map(
    ({ d, fill }) => `<path fill="${escapeXml(fill)}" d="${escapeXml(d)}"/>`,
  )
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" width="1024" height="1024" shape-rendering="crispEdges" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    ...squares,
    '</svg>',
    '',
  ]
  return new TextEncoder().encode(lines.join('\n'))
}

/** Each module is a whole number of pixels, so that its edges are sharp; the rest widens the margin. */
async function drawPng(drawn: SVGSVGElement): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = document.createElement('canvas')
  canvas.width = pngSide
  canvas.height = pngSide
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser cannot draw the QR code.')
  const modules = drawn.viewBox.baseVal.width
  const pixels = Math.max(1, Math.floor(pngSide / modules))
  const edge = Math.floor((pngSide - pixels * modules) / 2)
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, pngSide, pngSide)
  context.translate(edge, edge)
  context.scale(pixels, pixels)
  for (const { d, fill } of pathsOf(drawn)) {
    context.fillStyle = fill
    context.fill(new Path2D(d))
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (blob === null) throw new Error('This browser cannot write a PNG file.')
  return new Uint8Array(await blob.arrayBuffer())
}

const pathsOf = (drawn: SVGSVGElement): { readonly d: string; readonly fill: string }[] =>
  [...drawn.querySelectorAll('path')].map((path) => ({
    d: path.getAttribute('d') ?? '',
    fill: path.getAttribute('fill') ?? '#000000',
  }))

const escapeXml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
