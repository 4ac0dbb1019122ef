import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { icnsOf, icoOf, iconSizes } from '../../build/lib/icon-files.mjs'

// These files are drawn by build/icons.mjs.
const folder = 'build/icons'
const read = (name) => readFileSync(`${folder}/${name}`)
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex')
const drawn = JSON.parse(read('drawn.json'))

test('every icon file was drawn from the current picture', () => {
  expect(hash(read('icon.svg'))).toBe(drawn.from['icon.svg'])
  for (const [name, sha256] of Object.entries(drawn.written)) expect(hash(read(name))).toBe(sha256)
  const pngs = readdirSync(folder).filter((name) => /^\d+x\d+\.png$/.test(name))
  expect(pngs.sort()).toEqual(iconSizes.linux.map((size) => `${size}x${size}.png`).sort())
})

test('each PNG icon has the size in its file name', () => {
  for (const size of iconSizes.linux) {
    const png = read(`${size}x${size}.png`)
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([size, size])
  }
})

test('the ICO and ICNS files contain the same pictures as the PNG files', () => {
  const pictures = new Map(iconSizes.linux.map((size) => [size, read(`${size}x${size}.png`)]))
  expect(icoOf(pictures).equals(read('icon.ico'))).toBe(true)
  // The largest picture is in Apple's container only.
  const icns = read('icon.icns')
  const at = icns.indexOf('ic10', 0, 'latin1')
  pictures.set(1024, icns.subarray(at + 8, at + icns.readUInt32BE(at + 4)))
  expect(pictures.get(1024).readUInt32BE(16)).toBe(1024)
  expect(icnsOf(pictures).equals(icns)).toBe(true)
  expect(icns.readUInt32BE(4)).toBe(icns.length)
})
