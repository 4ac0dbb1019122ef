import { test } from 'vitest'
import { killUnderLoad } from '../fixtures/killed-receiver.ts'

test.each([20_261, 777_777])(
  'after kills under load (seed %i) every delivery that got 200 is stored once, byte for byte',
  (seed) => killUnderLoad(seed, 10),
)
