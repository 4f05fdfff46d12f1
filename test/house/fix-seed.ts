import fc from 'fast-check';

// The same documents on every run: a test that is red is red for everybody. FC_SEED=<number> explores others.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_130) });
