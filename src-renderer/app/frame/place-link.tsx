import type { Notice } from '../../../src-preload/contract/app.ts'
import text from '../../ui/text.module.css'
import { placeOf } from '../notices.ts'

/** The way from a notice to what it is about, where there is one. */
export function PlaceLink({ notice, onFollow }: { notice: Notice; onFollow?: () => void }) {
  const place = placeOf(notice)
  if (place === null) return null
  return (
    <a className={text['cut']} href={place.href} onClick={onFollow}>
      {place.label}
    </a>
  )
}
