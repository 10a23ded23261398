use super::*;
use crate::error::Result;
use crate::rng::Seed;
impl Corpus {
    pub fn load(dataset: &Dataset, _seed: Seed) -> Result<Corpus> {
        let Dataset::Letor { path, normalize, .. } = dataset else { panic!() };
        let o = letor::Options { normalize: *normalize, features: None, grades: None };
        let read = |f: &str| { let p = std::path::Path::new(path).join(f); letor::parse(&std::fs::read(&p).unwrap(), &p, &o) };
        Ok(Corpus { train: read("train.txt")?, test: read("test.txt")?, n_grades: if path.contains("MQ") {3} else {5} })
    }
}
pub fn inspect(_: &std::path::Path) -> Result<String> { Ok(String::new()) }
