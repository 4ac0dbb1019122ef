/** Writes the two container formats of icons. Each contains PNG pictures, which both systems can read. */

const linux = [16, 24, 32, 48, 64, 128, 256, 512]
const windows = [16, 24, 32, 48, 64, 128, 256]
/** Apple's names of the entries with their sizes in pixels; the last four are for dense displays. */
const apple = [
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic11', 32],
  ['ic12', 64],
  ['ic13', 256],
  ['ic14', 512],
  ['ic10', 1024],
]

export const iconSizes = { linux, windows, all: [...linux, 1024] }

/** @param pictures PNG files by their size in pixels */
export function icoOf(pictures) {
  const headBytes = 6 + 16 * windows.length
  const head = Buffer.alloc(headBytes)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(windows.length, 4)
  let offset = headBytes
  windows.forEach((size, index) => {
    const { length } = pictures.get(size)
    const at = 6 + 16 * index
    // A byte cannot store 256, so the format uses zero for it.
    head.writeUInt8(size % 256, at)
    head.writeUInt8(size % 256, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += length
  })
  return Buffer.concat([head, ...windows.map((size) => pictures.get(size))])
}

/** @param pictures PNG files by their size in pixels */
export function icnsOf(pictures) {
  const entries = apple.map(([name, size]) => entry(name, pictures.get(size)))
  return entry('icns', Buffer.concat(entries))
}

function entry(name, content) {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32BE(content.length + 8, 4)
  return Buffer.concat([head, content])
}
