/**
 * Signs a payment of a wallet V4 without dependencies, so that the sample handler needs none. Use a library, or a
 * signer of its own, for real money.
 */
import { createHash, createHmac, createPrivateKey, pbkdf2Sync, sign } from 'node:crypto'

const walletId = 698983191
/** Pay fees separately, ignore errors. */
const sendMode = 3

/** @param words the 24 words of the wallet */
export function privateKeyOf(words) {
  const entropy = createHmac('sha512', words).digest()
  const seed = pbkdf2Sync(entropy, 'TON default seed', 100_000, 64, 'sha512').subarray(0, 32)
  const header = Buffer.from('302e020100300506032b657004220420', 'hex')
  return createPrivateKey({ key: Buffer.concat([header, seed]), format: 'der', type: 'pkcs8' })
}

/** @returns the bag of cells of an external message, in base64 */
export function signPayment({ key, from, to, amount, comment, seqno, validUntil }) {
  const info = `0100${'00'}${address(to)}${coins(amount)}0${'0000'}${'0000'}${bits(0, 96)}`
  const message = cell(`${info}01`, [cell(bits(0, 32) + textBits(comment))])
  const order = bits(walletId, 32) + bits(validUntil, 32) + bits(seqno, 32) + bits(sendMode, 16)
  const signature = sign(null, cell(order, [message]).hash, key)
  const body = cell(bytesBits(signature) + order, [message])
  return serialize(cell(`1000${address(from)}${'0000'}01`, [body])).toString('base64')
}

const bits = (value, length) => BigInt(value).toString(2).padStart(length, '0')
const bytesBits = (bytes) => [...bytes].map((byte) => bits(byte, 8)).join('')
const textBits = (text) => bytesBits(Buffer.from(text))
const address = (raw) => `100${bits(0, 8)}${bits(`0x${raw.slice(2)}`, 256)}`

function coins(amount) {
  const bytes = Math.ceil(BigInt(amount).toString(16).length / 2)
  return bits(bytes, 4) + bits(amount, bytes * 8)
}

function cell(content, refs = []) {
  const full = Math.floor(content.length / 8)
  const isWhole = content.length % 8 === 0
  const padded = isWhole ? content : `${content}1`.padEnd((full + 1) * 8, '0')
  const data = Buffer.from((padded.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const start = Buffer.concat([
    Buffer.from([refs.length, full + (isWhole ? full : full + 1)]),
    data,
  ])
  const depth = refs.reduce((deepest, ref) => Math.max(deepest, ref.depth + 1), 0)
  const hash = createHash('sha256').update(start)
  for (const ref of refs) hash.update(Buffer.from([ref.depth >> 8, ref.depth & 255]))
  for (const ref of refs) hash.update(ref.hash)
  return { start, refs, depth, hash: hash.digest() }
}

/** Each cell of a payment has at most one reference, which is the next cell. */
function serialize(root) {
  const cells = []
  for (let next = root; next !== undefined; next = next.refs[0]) {
    const reference = next.refs.length === 0 ? [] : [cells.length + 1]
    cells.push(Buffer.concat([next.start, Buffer.from(reference)]))
  }
  const content = Buffer.concat(cells)
  const size = [content.length >> 8, content.length & 255]
  const header = [0xb5, 0xee, 0x9c, 0x72, 1, 2, cells.length, 1, 0, ...size, 0]
  return Buffer.concat([Buffer.from(header), content])
}
