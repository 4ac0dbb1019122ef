/** Tests the headers of a stored request that are sent again to a target. */
import { describe, expect, test } from 'vitest'
import {
  endToEnd,
  sentHeaders,
  wasForwarded,
} from '../../../src-main/delivery/sender/request-headers.ts'

test.each([
  ...['Connection', 'Content-Length', 'Expect', 'Host', 'HTTP2-Settings', 'Keep-Alive'],
  ...['Proxy-Authenticate', 'Proxy-Authorization', 'Proxy-Connection', 'TE', 'Trailer'],
  ...['Transfer-Encoding', 'Upgrade', 'upgrade'],
])('the header %s belongs to the connection and is not sent again', (name) => {
  expect(endToEnd([[name, 'x']])).toEqual([])
})

test('headers that Connection names are not sent again, and others keep their order and spelling', () => {
  const headers = [
    ['X-Order', '1'],
    ['cOnnection', 'close,  X-Hop'],
    ['Content-Type', 'X-Order'],
    ['connectioN', 'x-two'],
    ['x-hop', 'a'],
    ['X-Two', 'b'],
    ['X-Order', '2'],
  ] as const
  expect(endToEnd(headers)).toEqual([headers[0], headers[2], headers[6]])
})

describe('a request that Tondesk sent itself', () => {
  test.each([
    ['X-Tondesk-Delivery', true],
    ['x-tondesk-delivery', true],
    ['X-Tondesk-Deliver', false],
  ])('is recognized by its header: %s is %s', (name, expected) => {
    expect(
      wasForwarded([
        ['accept', '*/*'],
        [name, '1'],
      ]),
    ).toBe(expected)
  })
  test('is not recognized without headers', () => {
    expect(wasForwarded([])).toBe(false)
  })
})

describe('the sent headers', () => {
  const headers = [
    ['Accept', '*/*'],
    ['Host', ''],
    ['hoSt', 'shop.example'],
    ['Host', 'other.example'],
    ['X-A', '1'],
  ] as const
  const extra = [['X-Tondesk-Delivery', '7']] as const

  test('begin with the first host that has a value if the host is kept', () => {
    expect(sentHeaders(headers, true, extra)).toEqual([
      ...['hoSt', 'shop.example', 'Accept', '*/*', 'X-A', '1', 'X-Tondesk-Delivery', '7'],
    ])
  })
  test('have no host if it is not kept or not there', () => {
    const rest = ['Accept', '*/*', 'X-A', '1']
    expect(sentHeaders(headers, false, [])).toEqual(rest)
    expect(sentHeaders([headers[0], headers[1], headers[4]], true, [])).toEqual(rest)
  })
})
