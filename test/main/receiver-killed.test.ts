import { test } from 'vitest'
import { killUnderLoad } from '../fixtures/killed-receiver.ts'

test.each([1])(
  'killed under load (seed %i): every delivery answered 200 is there, once, byte for byte',
  (seed) => killUnderLoad(seed, 2),
)
