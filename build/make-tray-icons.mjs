/**
 * `node build/make-tray-icons.mjs`: draws the tray icons from build/icons/icon.svg into
 * src-main/desktop/icons. The pictures are in git, so that building the app does not need Chromium.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { chromiumPath } from '../test/stand-in/chromium.ts'

const svg = readFileSync(new URL('icons/icon.svg', import.meta.url), 'utf8')
const folder = new URL('../src-main/desktop/icons/', import.meta.url)

/** A sign in the lower right corner, because color alone must not show a state. */
const signs = {
  receiving: '',
  failing: '<path d="M716 572 v150" stroke-width="84" /><path d="M716 856 v4" stroke-width="96" />',
  stopped: '<path d="M652 632 v168 M780 632 v168" stroke-width="88" />',
}
const badgeColors = { receiving: '', failing: '#d92d20', stopped: '#3f444d' }

const badge = (status, ground, ink) =>
  signs[status] === ''
    ? ''
    : `<circle cx="716" cy="716" r="244" fill="${ground}" /><g fill="none" stroke="${ink}" stroke-linecap="round">${signs[status]}</g>`

/** A ring around the sign is cut out of the picture, so that the sign is visible on every background. */
const cutOut = (status, picture) =>
  signs[status] === ''
    ? picture
    : `<mask id="cut"><rect width="1024" height="1024" fill="#fff" /><circle cx="716" cy="716" r="290" fill="#000" /></mask><g mask="url(#cut)">${picture}</g>`

const body = svg.replace(/^<svg[^>]*>/, '').replace(/<\/svg>\s*$/, '')
const gray = body.replace('#2f8fe6', '#9aa1ac').replace('#0b5cb0', '#6b727e')

function colored(status) {
  const picture = cutOut(status, status === 'stopped' ? gray : body)
  return frame('64 64 896 896', picture + badge(status, badgeColors[status], '#fff'))
}

/** macOS uses only the alpha channel: black where the picture is, transparent elsewhere. */
function template(status) {
  const shapes = body.match(/<path\b[^]*?\/>/g).filter((path) => path.includes('fill="#fff"'))
  const picture = shapes.join('').replaceAll('#fff', '#000')
  const sign = signs[status]
  const cut = `<mask id="sign"><circle cx="716" cy="716" r="244" fill="#fff" /><g fill="none" stroke="#000" stroke-linecap="round">${sign}</g></mask><circle cx="716" cy="716" r="244" mask="url(#sign)" />`
  return frame('112 112 848 848', cutOut(status, picture) + (sign === '' ? '' : cut))
}

const overlay = frame('472 472 488 488', badge('failing', badgeColors.failing, '#fff'))

function frame(viewBox, content) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}" width="SIZE" height="SIZE">${content}</svg>`
}

const path = chromiumPath()
const browser = await chromium.launch(path === undefined ? {} : { executablePath: path })
const page = await browser.newPage()
mkdirSync(folder, { recursive: true })

async function draw(name, picture, size) {
  const svgOfSize = picture.replaceAll('SIZE', String(size))
  // A canvas is used, because screenshots of so few pixels are empty.
  const png = await page.evaluate(
    async ([source, side]) => {
      const image = new Image()
      image.src = `data:image/svg+xml,${encodeURIComponent(source)}`
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side })
      canvas.getContext('2d').drawImage(image, 0, 0, side, side)
      return canvas.toDataURL('image/png').split(',')[1]
    },
    [svgOfSize, size],
  )
  writeFileSync(new URL(`${name}.png`, folder), Buffer.from(png, 'base64'))
}

const scales = [
  ['', 16],
  ['@1.5x', 24],
  ['@2x', 32],
]
for (const [suffix, size] of scales) await draw(`overlay${suffix}`, overlay, size)
for (const status of Object.keys(signs)) {
  for (const [suffix, size] of scales) await draw(`${status}${suffix}`, colored(status), size)
  await draw(`${status}-large`, colored(status), 48)
  await draw(`${status}Template`, template(status), 16)
  await draw(`${status}Template@2x`, template(status), 32)
}
await browser.close()
