import type { Notice } from '../../../src-preload/contract/app.ts'
import { Text } from '../../ui/layout.tsx'
import { placeOf } from '../notices.ts'

/** The way from a notice to what it is about, where there is one. */
export function PlaceLink({ notice, onFollow }: { notice: Notice; onFollow?: () => void }) {
  const place = placeOf(notice)
  if (place === null) return null
  return (
    <Text as="a" over="cut" href={place.href} onClick={onFollow}>
      {place.label}
    </Text>
  )
}
