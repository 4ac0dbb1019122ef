import { type ReactNode, createContext, useContext } from 'react'
import type { Network, NetworkId } from '../../src-preload/contract/network.ts'
import { useData } from '../app/bridge.ts'
import { classes } from '../ui/classes.ts'
import { type ConfirmOptions, confirm } from '../ui/dialog.tsx'
import { Dot, Row, Stack, Text } from '../ui/layout.tsx'
import styles from './network.module.css'

/** A network by its id. One that was removed since stands by its id, so that what is of it can be read. */
export function useNetwork(id: NetworkId): Network {
  const known = useData('network.list').data?.networks.find((network) => network.id === id)
  return known ?? removed(id)
}

function removed(id: NetworkId): Network {
  return {
    id,
    kind: 'custom',
    name: `${id} (removed)`,
    urls: null,
    testOnly: false,
    secrets: { api: null, invoices: null },
    explorer: null,
    problem: 'This network was removed.',
  }
}

/** The network's name in its colour. */
export function NetworkTag({ id }: { id: NetworkId }) {
  const { kind, name } = useNetwork(id)
  return (
    <span className={classes(styles[kind], styles['tag'])} title={name}>
      <Dot />
      <Text over="cut">{name}</Text>
    </span>
  )
}

/** Beside a button: the network on which it acts, with a warning where coins are real. */
export function TargetNetwork({ network }: { network: Network }) {
  const { id, name } = network
  if (!isReal(network)) {
    return (
      <Row as="span" gap="xs">
        on <NetworkTag id={id} />
      </Row>
    )
  }
  return (
    <span className={classes(styles[network.kind], styles['stakes'])}>on {name}: real coins</span>
  )
}

/** A dot in the colour of a network, in front of its name. */
export function NetworkDot({ kind }: { kind: Network['kind'] }) {
  return (
    <span className={classes(styles[kind], styles['coloured'])}>
      <Dot />
    </span>
  )
}

/** Asks the user to confirm an action at a gateway, and shows the network in its colour. */
export function confirmOn(
  network: Network,
  {
    points = [],
    stakes,
    ...options
  }: ConfirmOptions & {
    /** Everything it will do, a sentence each. */
    points?: readonly string[]
    /** The possible loss on this network, in place of the sentence about deliveries. */
    stakes?: string
  },
): Promise<boolean> {
  return confirm({
    ...options,
    detail: (
      <Stack>
        <Stakes network={network} text={stakes} />
        {points.length > 0 && (
          <ul className={styles['points']}>
            {points.map((point) => (
              <li key={point}>{point}</li>
            ))}
          </ul>
        )}
        <div>{options.detail}</div>
      </Stack>
    ),
  })
}

/** Whether what happens there is in earnest: it is not undone by a reset, and coins are worth something. */
export function isReal({ kind, testOnly }: Network): boolean {
  return kind !== 'sandbox' && !testOnly
}

/** On which network something is about to happen, and what that means. */
export function Stakes({ network, text }: { network: Network; text?: string | undefined }) {
  return (
    <p className={classes(styles[network.kind], styles['stakes'])}>{text ?? stakesOf(network)}</p>
  )
}

function stakesOf({ kind, name, testOnly }: Network): string {
  if (kind === 'sandbox') return 'This is the sandbox on this computer.'
  return testOnly ? `This is ${name}.` : `This is ${name}: its deliveries report real payments.`
}

const Shown = createContext<Network | null>(null)

/** Links and addresses inside belong to this network. */
export function OfNetwork({ network, children }: { network: Network; children: ReactNode }) {
  return <Shown value={network}>{children}</Shown>
}

/** The network of what is shown here: the one that is passed, else that of `OfNetwork`. */
export function useShownNetwork(passed?: Network): Network {
  const around = useContext(Shown)
  const network = passed ?? around
  if (network === null) throw new Error('There is no <OfNetwork> around this component.')
  return network
}
