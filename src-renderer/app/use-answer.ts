import { useMemo } from 'react'
import type { Input, Output, RouteName } from '../../src-preload/contract/routes.ts'
import { request } from './bridge.ts'
import { type Loadable, type Resource, createResource, useResource } from './resource.ts'

type Answer<T> = { readonly state: Loadable<T>; readonly resource: Resource<T> }

/**
 * What the main process answers to a question with this input, for as long as it is shown. Another
 * input is another question: what the former one is answered later is seen nowhere.
 */
export function useAnswer<N extends RouteName>(
  name: N,
  input: NonNullable<Input<N>>,
): Answer<Output<N>> {
  const key = JSON.stringify(input)
  const resource = useMemo(() => {
    const ask = request as (route: N, asked: unknown) => Promise<Output<N>>
    return createResource(() => ask(name, JSON.parse(key)))
  }, [name, key])
  return { state: useResource(resource), resource }
}
