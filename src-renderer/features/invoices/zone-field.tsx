import { useId } from 'react'
import { TextField } from '../../ui/text-field.tsx'
import { isZone, listZones } from './zone.ts'

const zones = listZones()

/** The time zone that days and times are of: typed, or chosen from all there are. */
export function ZoneField({
  zone,
  hideLabel = false,
  onChange,
}: {
  zone: string
  hideLabel?: boolean
  onChange: (zone: string) => void
}) {
  const id = useId()
  return (
    <>
      <TextField
        label="Time zone"
        hideLabel={hideLabel}
        title="Time zone"
        list={id}
        value={zone}
        onChange={onChange}
        error={isZone(zone) ? undefined : 'No such time zone; one is Europe/Berlin.'}
      />
      <datalist id={id}>
        {zones.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  )
}
