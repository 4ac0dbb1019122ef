// `node build/icons.mjs`: draws all icons of the packages from build/icons/icon.svg in Chromium.
// Run it after a change of the picture and commit the result; test/unit/build-icons.test.mjs finds
// outdated icons.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { chromiumPath } from '../test/stand-in/chromium.ts'
import { icnsOf, icoOf, iconSizes } from './lib/icon-files.mjs'

const folder = join(import.meta.dirname, 'icons')
const svg = readFileSync(join(folder, 'icon.svg'), 'utf8')
const path = chromiumPath()
const browser = await chromium.launch(path === undefined ? {} : { executablePath: path })
const page = await browser.newPage()

async function draw(size) {
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(
    `<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
  )
  return page.screenshot({ omitBackground: true })
}

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex')
const written = {}
const write = (name, bytes) => {
  writeFileSync(join(folder, name), bytes)
  written[name] = hash(bytes)
}
try {
  const pictures = new Map()
  for (const size of iconSizes.all) pictures.set(size, await draw(size))
  for (const size of iconSizes.linux) write(`${size}x${size}.png`, pictures.get(size))
  write('icon.ico', icoOf(pictures))
  write('icon.icns', icnsOf(pictures))
} finally {
  await browser.close()
}
const record = { from: { 'icon.svg': hash(svg) }, written }
writeFileSync(join(folder, 'drawn.json'), `${JSON.stringify(record, null, 2)}\n`)
