import type { IconName } from '../../ui/icons.tsx'

export type PaletteEntry = {
  readonly id: string
  readonly label: string
  readonly icon: IconName
  /** Other words it is found by. */
  readonly words?: string
  readonly keys?: string
  readonly run: () => void
}
