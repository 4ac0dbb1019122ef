import { test } from 'vitest'
import { killUnderLoad } from '../fixtures/killed-receiver.ts'

test.each([20_261, 777_777])(
  'killed under load (seed %i): every delivery answered 200 is there, once, byte for byte',
  (seed) => killUnderLoad(seed, 10),
)
