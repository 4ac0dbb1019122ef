import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Menu } from '../../../ui/menu.tsx'
import colour from '../../../components/network-colour.module.css'
import { networks } from '../../../app/networks.ts'

/** A person's word on whose delivery it is. */
export function NetworkMenu({
  label,
  current,
  onChoose,
}: {
  label: string
  /** Undefined where it is of several. */
  current: NetworkId | null | undefined
  onChoose: (network: NetworkId | null) => void
}) {
  const known = valueOf(useResource(networks))?.networks ?? []
  return (
    <Menu
      align="start"
      trigger={<Button>{label} ▾</Button>}
      items={[
        ...known.map(({ id, kind, name }) => ({
          label: name,
          mark: <span className={classes(colour[kind], colour['dot'])} />,
          checked: id === current,
          onSelect: () => onChoose(id),
        })),
        'line' as const,
        { label: 'Leave it to its token and address', onSelect: () => onChoose(null) },
      ]}
    />
  )
}
