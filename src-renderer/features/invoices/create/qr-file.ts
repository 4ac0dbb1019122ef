/** A QR code that is on the page as the bytes of a file. */

/** ISO/IEC 18004 wants this much free space on each side. */
export const quietModules = 4

/** The side of a PNG, in pixels. */
const pngSide = 1024

/** Scales to any size; of nothing but its own squares and colours. */
export function printQrSvg(drawn: SVGSVGElement, title: string): Uint8Array<ArrayBuffer> {
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

/** Each module is a whole number of pixels, so that none is blurred; what is over widens the edge. */
export async function qrPng(drawn: SVGSVGElement): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = document.createElement('canvas')
  canvas.width = pngSide
  canvas.height = pngSide
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser cannot draw it.')
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
  if (blob === null) throw new Error('This browser cannot make a PNG of it.')
  return new Uint8Array(await blob.arrayBuffer())
}

function pathsOf(drawn: SVGSVGElement): { readonly d: string; readonly fill: string }[] {
  return [...drawn.querySelectorAll('path')].map((path) => ({
    d: path.getAttribute('d') ?? '',
    fill: path.getAttribute('fill') ?? '#000000',
  }))
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
