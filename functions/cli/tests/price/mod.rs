mod attack;
mod documents;
