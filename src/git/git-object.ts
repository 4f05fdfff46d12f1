export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

/** An object as git stores it, whole. */
export interface GitObject {
  readonly id: string;
  readonly type: ObjectType;
  readonly bytes: Buffer;
}
