import { useMemo, useState } from 'react'
import type { ConfigParameter } from '../../../../src-preload/contract/chain.ts'
import { formatCount } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import text from '../../../ui/text.module.css'
import { useAnswer } from '../../../app/use-answer.ts'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { Answered } from '../answered.tsx'
import { BocView } from '../cells/boc-view.tsx'
import { findParameters } from './find-parameters.ts'
import styles from './config.module.css'

/** The network's own settings, as its validators have voted for them. */
export function ConfigView() {
  const network = useShownNetwork().id
  const answer = useAnswer('chain.config', { network })
  return (
    <Answered answer={answer} what="The configuration">
      {({ parameters, raw }) => <Content parameters={parameters} raw={raw} />}
    </Answered>
  )
}

function Content({ parameters, raw }: { parameters: readonly ConfigParameter[]; raw: string }) {
  const [typed, setTyped] = useState('')
  const found = useMemo(() => findParameters(parameters, typed), [parameters, typed])
  return (
    <div className={pane['pane']}>
      <div className={styles['bar']}>
        <h2>Blockchain configuration</h2>
        <div className={styles['find']}>
          <TextField
            label="Find a parameter"
            hideLabel
            placeholder="find: gas, 21, validators, …"
            value={typed}
            onChange={setTyped}
          />
        </div>
        <span className={styles['count']} role="status">
          {typed.trim() === ''
            ? formatCount(parameters.length, 'parameter')
            : `${found.length} of ${formatCount(parameters.length, 'parameter')}`}
        </span>
        {raw !== '' && <CopyButton text={raw} what="Whole configuration as BOC" label="Copy BOC" />}
      </div>
      {found.length === 0 ? (
        <EmptyState
          title="No parameter like that"
          detail="Names, numbers and values are searched."
        />
      ) : (
        <div className={styles['list']} tabIndex={0} role="region" aria-label="Parameters">
          {found.map((parameter) => (
            <Parameter key={parameter.number} parameter={parameter} />
          ))}
        </div>
      )}
    </div>
  )
}

/** Of a long one, such as the list of validators, the rest is behind a button. */
const few = 40

function Parameter({ parameter }: { parameter: ConfigParameter }) {
  const [shown, setShown] = useState<'few' | 'all'>('few')
  const [showRaw, setShowRaw] = useState(false)
  const { number, name, description, fields, raw } = parameter
  const seen = shown === 'all' ? fields : fields.slice(0, few)
  return (
    <section className={pane['section']} aria-label={name}>
      <div className={styles['head']}>
        <Tag>{number}</Tag>
        <h3>{name}</h3>
        <span className={styles['description']}>{description}</span>
        {raw !== null && (
          <Button kind="quiet" aria-expanded={showRaw} onClick={() => setShowRaw(!showRaw)}>
            Raw<span className={text['hidden']}> of {name}</span>
          </Button>
        )}
      </div>
      <div className={showRaw ? styles['beside'] : undefined}>
        <div>
          <KeyValues
            className={styles['fields']}
            pairs={seen.map((field, index) => [
              field.name === '' ? String(index) : field.name,
              <span key={index} className={text['mono']}>
                <UntrustedText text={field.value} />
              </span>,
            ])}
          />
          {seen.length < fields.length && (
            <Button kind="link" onClick={() => setShown('all')}>
              Show all {formatCount(fields.length, 'value')}
            </Button>
          )}
        </div>
        {showRaw && raw !== null && (
          <div className={styles['raw']}>
            <BocView boc={raw} what={`Parameter ${number}`} fileName={`config-${number}.boc`} />
          </div>
        )}
      </div>
    </section>
  )
}
