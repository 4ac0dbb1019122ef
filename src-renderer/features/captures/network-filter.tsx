import type { QueryPart } from '../../../src-preload/contract/capture-query.ts'
import { Chip } from '../../ui/chip.tsx'
import { classes } from '../../ui/classes.ts'
import colour from '../../components/network-colour.module.css'
import { useCurrentNetwork } from '../../app/networks.ts'
import { changeTerm } from './inspector-commands.ts'

/** Captures of the network that is chosen, and those of which nothing tells whose they are. */
export function NetworkFilter({
  parts,
  settle,
}: {
  parts: readonly QueryPart[]
  /** Ends the wait for what was typed a moment ago. */
  settle: () => string
}) {
  const network = useCurrentNetwork()
  if (network === null) return null
  const value = `${network.id},unknown`
  const isOn = parts.some(
    (part) => part.field?.toLowerCase() === 'network' && !part.negated && part.value === value,
  )
  return (
    <Chip
      large
      title={`Only captures of ${network.name}, and those of an unknown network`}
      pressed={isOn}
      onPress={() => void changeTerm(settle(), 'network', isOn ? null : value)}
    >
      <span className={classes(colour[network.kind], colour['dot'])} />
      This network
    </Chip>
  )
}
